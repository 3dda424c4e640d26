"""What a search reads about its candidates: the words that they hold, and what is usual in their space."""
