import { type MovementObserver, movementLimits, runDataMovement } from '@lateen/data-movement';
import { csiSnapshotExposer, genericRestoreExposer } from '@lateen/exposer';
import { type Logger, systemClock, systemRandom } from '@lateen/kernel';
import { eventRecorder, type KubeApi } from '@lateen/kube';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import type { Sink } from '@lateen/logging';
import { startProbes } from '@lateen/probes';
import type { AgentSettings } from './agent-settings.ts';
import type { NodeAgentConfig } from './config.ts';
import { movementMetrics } from './movement-metrics.ts';
import { podLogRepeater } from './pod-log-repeater.ts';
import { readAgentSettings } from './read-agent-settings.ts';

/** Runs until `stop` aborts; resolves when everything it started has ended. @throws KUBECONFIG_…, PORT_UNAVAILABLE, AGENT_SETTINGS */
export async function runNodeAgent(
  config: NodeAgentConfig,
  { log, sink, stop }: { log: Logger; sink: Sink; stop: AbortSignal },
): Promise<void> {
  const [clock, random] = [systemClock, systemRandom];
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-node-agent' });
  let missing: string | undefined = 'the objects of the namespace have not been read yet';
  const { namespace, node } = config;
  let observer: MovementObserver | undefined;
  const probes = await startProbes({
    ...config,
    notReady: () => missing,
    register: (registry) => {
      observer = movementMetrics(registry, node);
    },
  });
  log.info({ server: cluster.server, namespace, node, probes: probes.url }, 'the node-agent starts');
  try {
    const settings = await settingsOf(config, kube, log, stop);
    const exposerPorts = { kube, clock, random, log, settings: { podResources: settings.podResources } };
    const events = eventRecorder({ api: kube, component: 'node-agent', host: node, clock, random, log });
    const slots = settings.concurrency ?? config.concurrency;
    await runDataMovement(
      {
        ...exposerPorts,
        namespace,
        node,
        limits: { ...movementLimits, prepareTimeoutMs: config.prepareTimeoutMs, attempts: config.attempts, slots },
        tell: (subject, reason, message) => events.record(subject, reason, message, { type: 'Warning' }),
        snapshotExposer: csiSnapshotExposer(exposerPorts),
        restoreExposer: genericRestoreExposer(exposerPorts),
        logs: podLogRepeater(kube, { sink, format: config.logFormat }),
        ...(observer === undefined ? {} : { observer }),
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

async function settingsOf(
  { configMap, namespace, node }: NodeAgentConfig,
  kube: KubeApi,
  log: Logger,
  signal: AbortSignal,
): Promise<Pick<AgentSettings, 'concurrency' | 'podResources'>> {
  if (configMap === undefined) return { concurrency: undefined, podResources: undefined };
  const settings = await readAgentSettings(kube, { namespace, configMap, node }, signal);
  for (const remark of settings.remarks) log.warn({ configMap }, remark);
  return settings;
}
