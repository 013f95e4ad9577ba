"""Java assignor classes as targets: from Maven repositories, from Kafka's own releases, from local jars.

Each target is a Java process of its own that runs the few classes in the folder ``adapter``, which speak the adapter
protocol; so releases can be compared in one run, and a class may hang or end its process. Each group is given to a fresh
instance, with members and topics in the group's order, and each list of the answer in the order the class gave it.

What a class is told depends on what its release can be told:

- 2.2 and 2.3 (``internals.PartitionAssignor``): subscriptions, and user data.
- from 2.4 on (``ConsumerPartitionAssignor``): what members own, and their instance ids, too.
- from 3.4 on: the generation and the rack of members, too. The racks of replicas stand in the metadata of every release,
  but assignors read them from 3.5 on: a group with racks is one without them for an earlier release.

Task assignors of Kafka Streams, Kafka's own and users', are driven through the interface that they implement:

- 3.3 to 3.7 (``internals.assignment.TaskAssignor``): clients by UUID; from 3.6 on racks, too. A strategy that a release does not
  know is declined there.
- from 3.8 on (``internals.assignment.LegacyTaskAssignor``): clients by ProcessId.
- from 3.8 on (``assignment.TaskAssignor``, KIP-924): the whole application; a class is configured with application.id, with the
  group's settings and with the tags of its first client, for each group anew, as Kafka does it in each rebalance.

Server-side assignors are driven through the interface that they implement:

- 3.6 and 3.7 (``coordinator.group.assignor.PartitionAssignor``): consumer groups.
- from 3.8 on (``coordinator.group.api.assignor``): consumer groups by ConsumerGroupPartitionAssignor, from 3.9 on share groups by
  ShareGroupPartitionAssignor. Instance ids are told from 3.9 on, which partitions may be given from 4.1 on.

Topics come with their ids; subscriptions to topics that do not exist are handed on, which a coordinator would leave out. What members
own are maps and sets in the group's order. Answers are sets: they are written by topic in the group's order, then by number.

Connect's two assignors are driven from 3.3 on, each round by itself: the incremental one by its method that works out a round, with the
fields of a fresh object set to what the group says is remembered, and workers in a HashMap; the eager one by the bytes of its protocol.

Clients and tasks are put into Java's hash maps and sets in the order in which the group lists them. Racks that the group does not
tell are unknown to the cluster.

User data are what an instance of the member's own says after it was told what the member owns (`onAssignment`); those of
StickyAssignor are written here, with the claims in the group's order. A class that is Configurable is given group.id,
and for a member its client.rack and group.instance.id.
"""

from kassay.targets.java.opening import open_jar, open_kafka, open_maven

__all__ = ["open_jar", "open_kafka", "open_maven"]
