package kassay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.LeastLoadedNode;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.clients.consumer.internals.ConsumerNetworkClient;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataResponse;

/** A network on which requests wait until they are answered by hand; metadata are there as soon as they are asked for. */
final class Channel implements KafkaClient {
    static final Node BROKER = new Node(0, "broker", 9092);

    private final Clock clock;
    private final List<ClientResponse> arriving = new ArrayList<>();
    final List<ClientRequest> open = new ArrayList<>();
    final List<ClientRequest> sent = new ArrayList<>();
    Metadata metadata;
    ConsumerNetworkClient network;
    Map<?, ?> topics;
    private int requests;

    Channel(Clock clock) {
        this.clock = clock;
    }

    /** Answers the newest request of a kind. */
    ClientRequest newest(Class<?> kind) {
        ClientRequest found = null;
        for (ClientRequest request : open) if (kind.isInstance(request.requestBuilder().build())) found = request;
        return found;
    }

    void answer(ClientRequest request, AbstractResponse response) {
        open.remove(request);
        short version = request.requestBuilder().latestAllowedVersion();
        arriving.add(new ClientResponse(request.makeHeader(version), request.callback(), request.destination(), request.createdTimeMs(),
                clock.now, response == null, null, null, response));
    }

    void breakAll() {
        for (ClientRequest request : List.copyOf(open)) answer(request, null);
    }

    void tellMetadata() {
        MetadataResponseData data = new MetadataResponseData().setClusterId("c").setControllerId(0);
        @SuppressWarnings("unchecked") // the class of the collections is in another package from 4.4 on
        Collection<Object> brokers = (Collection<Object>) Reflected.call(data, "brokers");
        @SuppressWarnings("unchecked")
        Collection<Object> told = (Collection<Object>) Reflected.call(data, "topics");
        brokers.add(new MetadataResponseData.MetadataResponseBroker().setNodeId(0).setHost("broker").setPort(9092));
        for (Map.Entry<?, ?> topic : topics.entrySet()) {
            MetadataResponseData.MetadataResponseTopic one = new MetadataResponseData.MetadataResponseTopic().setName((String) topic.getKey());
            for (int number = 0; number < (Long) topic.getValue(); number++) {
                one.partitions().add(new MetadataResponseData.MetadataResponsePartition().setPartitionIndex(number).setLeaderId(0)
                        .setLeaderEpoch(0).setReplicaNodes(List.of(0)).setIsrNodes(List.of(0)));
            }
            told.add(one);
        }
        metadata.updateWithCurrentRequestVersion(new MetadataResponse(data, (short) 12), false, clock.now);
    }

    @Override
    public List<ClientResponse> poll(long timeout, long now) {
        Thread.interrupted();
        boolean idle = arriving.isEmpty();
        if (metadata.updateRequested()) {
            tellMetadata();
            idle = false;
        }
        if (idle && timeout > 0) network.wakeup();
        List<ClientResponse> arrived = new ArrayList<>(arriving);
        arriving.clear();
        for (ClientResponse response : arrived) response.onComplete();
        return arrived;
    }

    @Override
    public void send(ClientRequest request, long now) {
        open.add(request);
        sent.add(request);
    }

    @Override
    public void disconnect(String nodeId) {
        for (ClientRequest request : List.copyOf(open)) if (request.destination().equals(nodeId)) answer(request, null);
    }

    @Override
    public ClientRequest newClientRequest(String nodeId, AbstractRequest.Builder<?> builder, long now, boolean expectResponse) {
        return newClientRequest(nodeId, builder, now, expectResponse, 1, null);
    }

    @Override
    public ClientRequest newClientRequest(String nodeId, AbstractRequest.Builder<?> builder, long now, boolean expectResponse, int timeoutMs,
            RequestCompletionHandler callback) {
        return new ClientRequest(nodeId, builder, requests++, "client", now, expectResponse, timeoutMs, callback);
    }

    @Override
    public boolean isReady(Node node, long now) {
        return true;
    }

    @Override
    public boolean ready(Node node, long now) {
        return true;
    }

    @Override
    public long connectionDelay(Node node, long now) {
        return 0;
    }

    @Override
    public long pollDelayMs(Node node, long now) {
        return 0;
    }

    @Override
    public boolean connectionFailed(Node node) {
        return false;
    }

    @Override
    public AuthenticationException authenticationException(Node node) {
        return null;
    }

    @Override
    public void close(String nodeId) {
        disconnect(nodeId);
    }

    @Override
    public LeastLoadedNode leastLoadedNode(long now) {
        return new LeastLoadedNode(BROKER, true);
    }

    @Override
    public int inFlightRequestCount() {
        return open.size();
    }

    @Override
    public boolean hasInFlightRequests() {
        return !open.isEmpty();
    }

    @Override
    public int inFlightRequestCount(String nodeId) {
        return (int) open.stream().filter(request -> request.destination().equals(nodeId)).count();
    }

    @Override
    public boolean hasInFlightRequests(String nodeId) {
        return inFlightRequestCount(nodeId) > 0;
    }

    @Override
    public boolean hasReadyNodes(long now) {
        return true;
    }

    @Override
    public void wakeup() {}

    @Override
    public void initiateClose() {}

    @Override
    public boolean active() {
        return true;
    }

    @Override
    public void close() {}
}
