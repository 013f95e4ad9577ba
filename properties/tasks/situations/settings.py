"""Situations in the settings of an application: standbys, warm-ups, tags."""

from kassay.model.tasks import Application


def standbys(application: Application) -> bool:
    """Stateful tasks are to have standbys, and there is a second client for them."""
    return _standbys(application) > 0 and len(application.clients) > 1


def more_standbys_than_clients(application: Application) -> bool:
    """Stateful tasks are to have at least as many standbys as there are clients."""
    return 0 < len(application.clients) <= _standbys(application)


def one_warmup(application: Application) -> bool:
    """max.warmup.replicas is 1, so that tasks warm up one by one."""
    return application.settings.max_warmup_replicas == 1


def tags(application: Application) -> bool:
    """Standbys are to be on clients with other tags, and clients have different values of such a tag (KIP-708)."""
    keys = application.settings.rack_aware_assignment_tags
    values = {
        client_tag for client in application.clients for client_tag in client.tags if client_tag[0] in keys
    }
    return standbys(application) and len(values) > len({key for key, _ in values})


def several_tags(application: Application) -> bool:
    """Standbys are to be on clients that differ in several tags."""
    return standbys(application) and len(application.settings.rack_aware_assignment_tags) > 1


def missing_tag(application: Application) -> bool:
    """A client has no value of a tag in rack.aware.assignment.tags."""
    keys = application.settings.rack_aware_assignment_tags
    return any(key not in dict(client.tags) for key in keys for client in application.clients)


def idle_tag(application: Application) -> bool:
    """A client has a tag that rack.aware.assignment.tags does not name, though it names some."""
    keys = application.settings.rack_aware_assignment_tags
    return bool(keys) and any(key not in keys for client in application.clients for key, _ in client.tags)


def custom_costs(application: Application) -> bool:
    """A strategy is set, and a cost of it too."""
    settings = application.settings
    return settings.rack_aware_assignment_strategy != "none" and not (
        settings.rack_aware_assignment_traffic_cost is None
        and settings.rack_aware_assignment_non_overlap_cost is None
    )


def odd_costs(application: Application) -> bool:
    """A strategy is set with costs that do not ask for less traffic: it costs nothing or less, or a move less than nothing."""
    settings = application.settings
    traffic, overlap = (
        settings.rack_aware_assignment_traffic_cost,
        settings.rack_aware_assignment_non_overlap_cost,
    )
    odd = (traffic is not None and traffic <= 0) or (overlap is not None and overlap < 0)
    return settings.rack_aware_assignment_strategy != "none" and odd


def _standbys(application: Application) -> int:
    has_state = any(task.stateful for task in application.tasks)
    return application.settings.num_standby_replicas if has_state else 0
