package kassay;

import eu.maveniverse.maven.mima.context.Context;
import eu.maveniverse.maven.mima.context.ContextOverrides;
import eu.maveniverse.maven.mima.context.Runtimes;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.repository.Authentication;
import org.eclipse.aether.repository.MirrorSelector;
import org.eclipse.aether.repository.Proxy;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;
import org.eclipse.aether.transfer.ArtifactNotFoundException;
import org.eclipse.aether.transfer.ArtifactTransferException;
import org.eclipse.aether.transfer.ChecksumFailureException;
import org.eclipse.aether.util.artifact.JavaScopes;
import org.eclipse.aether.util.filter.DependencyFilterUtils;
import org.eclipse.aether.util.repository.AuthenticationBuilder;
import org.eclipse.aether.util.repository.DefaultMirrorSelector;
import org.eclipse.aether.util.repository.DefaultProxySelector;

/**
 * Resolves coordinates with what they need at run time, by Maven's own resolver and the user's Maven settings.
 *
 * <p>Reads properties from standard input: coordinates (separated by blanks) and, where set, repository (a URL to use
 * instead of Maven Central and its mirrors), proxy (a URL) and direct (hosts to reach without it, separated by bars), and
 * http, where repositories on other machines may be asked without encryption.
 * Prints the path of one jar per line. Exit status 2: there is no such artifact, or it was changed on its way; 3: it
 * could not be fetched; standard error says why.
 */
final class Resolve {
    private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "::1");

    private Resolve() {}

    public static void main(String[] args) throws IOException {
        Properties asked = new Properties();
        asked.load(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ContextOverrides overrides = ContextOverrides.create()
            .withUserSettings(true)
            .checksumPolicy(ContextOverrides.ChecksumPolicy.FAIL)
            .build();
        try (Context context = Runtimes.INSTANCE.getRuntime().create(overrides)) {
            for (String path : paths(context, asked)) System.out.println(path);
        } catch (DependencyResolutionException failed) {
            System.err.println(telling(failed).getMessage());
            System.exit(isWrong(failed) ? 2 : 3);
        }
    }

    private static List<String> paths(Context context, Properties asked) throws DependencyResolutionException {
        DefaultRepositorySystemSession session = session(context, asked);
        RemoteRepository central = ContextOverrides.CENTRAL;
        List<RemoteRepository> repositories = context.remoteRepositories();
        if (asked.containsKey("repository")) {
            central = new RemoteRepository.Builder("central", "default", asked.getProperty("repository")).build();
            session.setMirrorSelector(new DefaultMirrorSelector());
            repositories = List.of(central);
        }
        if (!asked.containsKey("http")) session.setMirrorSelector(withoutPlain(session.getMirrorSelector()));
        CollectRequest collect = new CollectRequest();
        collect.setRepositories(context.repositorySystem().newResolutionRepositories(session, repositories));
        for (String coordinates : asked.getProperty("coordinates").split(" ")) {
            collect.addDependency(new Dependency(new DefaultArtifact(coordinates), JavaScopes.RUNTIME));
        }
        DependencyRequest request =
            new DependencyRequest(collect, DependencyFilterUtils.classpathFilter(JavaScopes.RUNTIME));
        List<String> paths = new ArrayList<>();
        for (ArtifactResult found : context.repositorySystem().resolveDependencies(session, request).getArtifactResults()) {
            if (found.getArtifact().getExtension().equals("jar")) paths.add(found.getArtifact().getFile().getPath());
        }
        return paths;
    }

    private static DefaultRepositorySystemSession session(Context context, Properties asked) {
        DefaultRepositorySystemSession session =
            new DefaultRepositorySystemSession(context.repositorySystemSession());
        if (asked.containsKey("proxy")) {
            URI proxy = URI.create(asked.getProperty("proxy"));
            int port = proxy.getPort() < 0 ? 80 : proxy.getPort();
            session.setProxySelector(new DefaultProxySelector().add(
                new Proxy(Proxy.TYPE_HTTP, proxy.getHost(), port, login(proxy.getUserInfo())),
                asked.getProperty("direct", "")));
        }
        return session;
    }

    /** Blocks what is not encrypted, on another machine: repositories that settings and POMs name, too. */
    private static MirrorSelector withoutPlain(MirrorSelector own) {
        return repository -> {
            RemoteRepository mirror = own == null ? null : own.getMirror(repository);
            RemoteRepository used = mirror == null ? repository : mirror;
            boolean plain = used.getProtocol().equalsIgnoreCase("http") && !LOOPBACK.contains(used.getHost());
            if (!plain) return mirror;
            return new RemoteRepository.Builder(used)
                .setBlocked(true)
                .setMirroredRepositories(List.of(repository))
                .build();
        };
    }

    private static Authentication login(String user) {
        if (user == null) return null;
        int colon = user.indexOf(':');
        return new AuthenticationBuilder()
            .addUsername(colon < 0 ? user : user.substring(0, colon))
            .addPassword(colon < 0 ? "" : user.substring(colon + 1))
            .build();
    }

    /** Finds the cause that names artifact and repository; the deepest where none does. */
    private static Throwable telling(Throwable thrown) {
        while (!(thrown instanceof ArtifactTransferException) && thrown.getCause() != null) thrown = thrown.getCause();
        return thrown;
    }

    private static boolean isWrong(Throwable thrown) {
        for (; thrown != null; thrown = thrown.getCause()) {
            if (thrown instanceof ArtifactNotFoundException || thrown instanceof ChecksumFailureException) return true;
        }
        return false;
    }
}
