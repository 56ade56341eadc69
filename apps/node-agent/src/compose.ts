import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { slotsByDefault } from '@lateen/api-types';
import { type MovementObserver, movementLimits, runDataMovement } from '@lateen/data-movement';
import { csiSnapshotExposer, genericRestoreExposer, podVolumeDefaults, podVolumeExposer } from '@lateen/exposer';
import { durationText, type Logger, systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { type ControllerBase, type EventSubject, eventRecorder } from '@lateen/kube-runtime';
import type { Sink } from '@lateen/logging';
import { controllerMetrics, startProbes } from '@lateen/probes';
import type { NodeAgentConfig } from './config.ts';
import { movementMetrics } from './movement-metrics.ts';
import { podLogRepeater } from './pod-log-repeater.ts';
import { kubeletDirectorySeen } from './settings/kubelet-directory-seen.ts';
import { type NodeSettings, readAgentSettings } from './settings/read-agent-settings.ts';

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
  let metrics: ControllerBase['metrics'];
  const probes = await startProbes({
    ...config,
    notReady: () => missing,
    register: (registry) => {
      metrics = controllerMetrics(registry);
      observer = movementMetrics(registry, node);
    },
  });
  log.info({ server: cluster.server, namespace, node, probes: probes.url }, 'the node-agent starts');
  try {
    const { exposure, ...settings } = await settingsOf(config, kube, log, stop);
    const slots = settings.concurrency ?? config.concurrency;
    const events = eventRecorder({ api: kube, component: 'node-agent', host: node, clock, random, log });
    const tell = (subject: EventSubject, reason: string, message: string) =>
      events.record(subject, reason, message, { type: 'Warning' });
    const podVolume = { ...podVolumeDefaults, ...exposure.podVolume, seenDirectory: await directorySeen() };
    const exposerPorts = { kube, clock, random, log, settings: { ...exposure, slots, podVolume }, tell };
    const limits = {
      ...movementLimits,
      prepareTimeoutMs: config.prepareTimeoutMs,
      slots: slots ?? slotsByDefault(cpus().length),
      prepareQueueLength: settings.prepareQueueLength,
      attempts: config.attempts,
    };
    log.info(
      { slots: limits.slots, prepareQueueLength: limits.prepareQueueLength },
      'the settings of this node are read',
    );
    await runDataMovement(
      {
        ...exposerPorts,
        metrics,
        namespace,
        node,
        limits,
        snapshotExposer: csiSnapshotExposer(exposerPorts),
        restoreExposer: genericRestoreExposer(exposerPorts),
        podVolumes: config.podVolumes
          ? { exposer: podVolumeExposer(exposerPorts), operationTimeout: durationText(config.resourceTimeoutMs) }
          : undefined,
        logs: podLogRepeater(kube, { sink, format: config.logFormat, clock, random, log }),
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

/** Undefined outside of a pod, and where the file does not exist. */
const directorySeen = async (): Promise<string | undefined> =>
  kubeletDirectorySeen(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));

async function settingsOf(
  config: NodeAgentConfig,
  kube: KubeApi,
  log: Logger,
  signal: AbortSignal,
): Promise<NodeSettings> {
  const settings = await readAgentSettings(kube, config, signal);
  for (const remark of settings.remarks) log.warn({ configMap: config.configMap }, remark);
  return settings;
}
