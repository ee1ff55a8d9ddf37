"""Files of graphs: attributes of their nodes are clusterings, FILE::ATTRIBUTE."""
