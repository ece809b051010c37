"""Data in: files of any format, databases and frames become coded tables, baskets and record trees."""
