"""What is learnt about data before a release: proposals, risks, comparisons."""
