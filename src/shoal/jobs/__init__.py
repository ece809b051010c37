"""What people ask for, one function each: read, anonymize, judge, verify, run a configuration, risk, attack, demo."""
