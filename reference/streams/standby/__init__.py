"""How standby tasks are placed: by load alone, or on clients with other tags (KIP-708)."""
