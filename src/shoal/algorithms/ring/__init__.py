"""Methods for baskets, against whoever knows the whole basket of everybody."""
