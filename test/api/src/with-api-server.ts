import { readFile } from 'node:fs/promises';
import { type RunningApiServer, type StartApiServerOptions, startApiServer } from '@lateen/cluster';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { ResourceType } from '@lateen/kube';
import { type ClusterConfig, type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { type KubeInCluster, kubeInCluster } from '@lateen/kube-in-cluster';
import { afterAll, beforeAll, describe } from 'vitest';
import { whyWithout } from './api-parts.ts';

/** A real kube-apiserver for the tests of one `describe`; usable after its first hook has run. */
export interface ApiServerUnderTest {
  readonly server: RunningApiServer;
  readonly config: ClusterConfig;
  /** One client for all tests. */
  readonly kube: KubeClient;
  /** Another client over node:https; the caller closes it. */
  inCluster(): KubeInCluster;
  /** A new namespace. */
  namespace(): Promise<string>;
}

const startTimeoutMs = 180_000;

/** Runs `tests` against a separate server; skips them with the reason when none can be started. */
export async function describeWithApiServer(
  name: string,
  tests: (under: ApiServerUnderTest) => void,
  options: StartApiServerOptions = {},
): Promise<void> {
  const reason = await whyWithout(['etcd', 'kube-apiserver']);
  if (reason !== undefined) {
    describe.skip(`${name} (skipped: ${reason})`, () => tests(notStarted));
    return;
  }
  describe(name, () => {
    let started: ApiServerUnderTest | undefined;
    beforeAll(async () => {
      started = await start(options);
    }, startTimeoutMs);
    afterAll(async () => {
      // The processes end even when the client does not.
      await Promise.all([started?.server.stop(), started?.kube.close()]);
    }, startTimeoutMs);
    tests(
      forwarding(() => {
        if (started === undefined) throw new Error('the API server is used before it was started');
        return started;
      }),
    );
  });
}

const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

async function start(options: StartApiServerOptions): Promise<ApiServerUnderTest> {
  const server = await startApiServer(options);
  const config = await loadKubeConfig({ path: server.kubeconfig, env: {} });
  const client = await clientCertificate(config);
  const kube = kubeClient({ config, ...base });
  return {
    server,
    config,
    kube,
    inCluster: () => kubeInCluster({ config: client, ...base }),
    namespace: async () => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'test-' } };
      return (await kube.create(namespaceType, body)).metadata.name ?? '';
    },
  };
}

export const base = { clock: systemClock, random: systemRandom, log: silentLogger };

/** The configuration of `kube-in-cluster`, in place of a service account. */
async function clientCertificate({ server, cluster, user }: ClusterConfig) {
  const { hostname, port } = new URL(server);
  const pem = async (path: string | undefined, data: string | undefined) =>
    path === undefined ? Buffer.from(data ?? '', 'base64').toString('utf8') : readFile(path, 'utf8');
  return {
    host: hostname,
    port: Number(port),
    ca: await pem(cluster['certificate-authority'], cluster['certificate-authority-data']),
    cert: await pem(user['client-certificate'], user['client-certificate-data']),
    key: await pem(user['client-key'], user['client-key-data']),
  };
}

function forwarding(ready: () => ApiServerUnderTest): ApiServerUnderTest {
  return {
    get server() {
      return ready().server;
    },
    get config() {
      return ready().config;
    },
    get kube() {
      return ready().kube;
    },
    inCluster: () => ready().inCluster(),
    namespace: () => ready().namespace(),
  };
}

const notStarted = forwarding(() => {
  throw new Error('there is no API server: these tests are skipped');
});
