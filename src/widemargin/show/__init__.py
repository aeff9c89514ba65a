"""Tables, figures and drawings, as text, HTML and SVG."""
