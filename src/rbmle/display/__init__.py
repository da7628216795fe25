"""How results are shown, whatever they are of: tables of texts, figures, progress; pandas where it is installed."""
