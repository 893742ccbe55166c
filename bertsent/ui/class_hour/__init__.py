"""The teacher's page: a room with its rights, its votes, its board and its report."""
