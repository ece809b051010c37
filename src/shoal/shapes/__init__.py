"""Tables, baskets, votes, tables with baskets and trees: what each is, its guards, and how it is read back."""
