"""What people look at: figures, the public report, the private audit."""
