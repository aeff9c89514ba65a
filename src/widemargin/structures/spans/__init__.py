"""Binary constituency trees: rules, bigrams of parent and child, or labels of spans."""
