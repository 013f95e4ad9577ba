/* Returns which of the readers of a topic gets a partition, in the order of their ids, which it sorts. */
const char *owner(const char **readers, int count, int partitions, int number);
