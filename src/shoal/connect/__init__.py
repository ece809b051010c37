"""shoal where data teams already are: frames, scikit-learn, pandera. Each module is thin."""
