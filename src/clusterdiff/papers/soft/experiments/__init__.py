"""The paper on soft clusterings: five algorithms, and the intervals of what they find."""
