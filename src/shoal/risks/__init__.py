"""How exposed people are: who fits what is known of somebody, and what columns tell of those who do."""
