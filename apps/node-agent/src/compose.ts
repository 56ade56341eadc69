import { movementLimits, runDataMovement } from '@lateen/data-movement';
import { csiSnapshotExposer, genericRestoreExposer } from '@lateen/exposer';
import { type Logger, systemClock, systemRandom } from '@lateen/kernel';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import type { Sink } from '@lateen/logging';
import { startProbes } from '@lateen/probes';
import type { NodeAgentConfig } from './config.ts';
import { podLogRepeater } from './pod-log-repeater.ts';

/** Runs until `stop` aborts; resolves when everything it started has ended. @throws KUBECONFIG_…, PORT_UNAVAILABLE */
export async function runNodeAgent(
  config: NodeAgentConfig,
  { log, sink, stop }: { log: Logger; sink: Sink; stop: AbortSignal },
): Promise<void> {
  const [clock, random] = [systemClock, systemRandom];
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-node-agent' });
  let missing: string | undefined = 'the objects of the namespace have not been read yet';
  const probes = await startProbes({ ...config, notReady: () => missing });
  const { namespace, node } = config;
  log.info({ server: cluster.server, namespace, node, probes: probes.url }, 'the node-agent starts');
  const exposerPorts = { kube, clock, random, log };
  try {
    await runDataMovement(
      {
        ...exposerPorts,
        namespace,
        node,
        limits: { ...movementLimits, prepareTimeoutMs: config.prepareTimeoutMs, slots: config.concurrency },
        snapshotExposer: csiSnapshotExposer(exposerPorts),
        restoreExposer: genericRestoreExposer(exposerPorts),
        logs: podLogRepeater(kube, { sink, format: config.logFormat }),
        onSynced: () => {
          missing = undefined;
        },
      },
      stop,
    );
  } finally {
    missing = 'stopping';
    await probes.close();
    await kube.close();
  }
  log.info({}, 'the node-agent has stopped');
}
