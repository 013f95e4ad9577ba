"""Tables, notices and JSON among other text: prompts, logs, mail, and what a terminal has wrapped."""
