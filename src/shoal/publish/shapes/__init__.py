"""Tables with baskets at the door: a table's cells and a list of items in each record."""
