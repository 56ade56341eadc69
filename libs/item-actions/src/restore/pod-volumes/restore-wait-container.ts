import {
  annotations,
  type Container,
  type ContainerSecurityContext,
  type Pod,
  type PodSecurityContext,
  type Volume,
} from '@lateen/api-types';
import { restoreWaitName } from '@lateen/hooks';
import type { Logger } from '@lateen/kernel';
import { compareQuantities, parseQuantity } from '@lateen/kube';
import { CORE_SCHEMA, load } from 'js-yaml';

/** The data of the ConfigMap of the action (api.md section 17.6). */
export type RestoreWaitConfig = Readonly<Record<string, string>>;

/** The command in our image; the UID of the Restore is appended, as for Velero's waiter. */
const commandDefault = ['data-mover', 'restore-wait'];
const amounts = { cpu: '100m', memory: '128Mi' } as const;
type Resource = keyof typeof amounts;

const securityDefault: ContainerSecurityContext = {
  runAsUser: 1000,
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

export interface RestoreWaitOptions {
  volumes: readonly string[];
  restoreUid: string;
  /** Used when the ConfigMap names no image. */
  image: string;
  config: RestoreWaitConfig;
  log: Logger;
}

/** Where the container reads whether to stop waiting; outside of the directory that Velero's waiter scans. */
const wordMount = { name: restoreWaitName, mountPath: '/restore-wait', readOnly: true } as const;

const annotationFile = (path: string, annotation: string) => ({
  path,
  fieldRef: { fieldPath: `metadata.annotations['${annotation}']` },
});

/**
 * Tells the pod to start, without permissions or a connection, through annotations of the pod. One annotation is for a waiter
 * that may not read the volumes: after the restore, their directories have their original owners again.
 */
export const restoreWaitVolume: Volume = {
  name: wordMount.name,
  downwardAPI: {
    items: [
      annotationFile('start-without-data', annotations.startWithoutData),
      annotationFile('volumes-restored', annotations.volumesRestored),
    ],
  },
};

/** The path at which the waiter mounts a volume, as Velero's waiter does. */
export const awaitedPath = (volume: string): string => `/restores/${volume}`;

/** The init container that holds a pod back until its volumes have their data (data-movement.md section 6). Pure but for the log. */
export function restoreWaitContainer(
  pod: Pod,
  { volumes, restoreUid, image, config, log }: RestoreWaitOptions,
): Container {
  const amountOf = (key: string, otherwise: string): string => {
    const text = config[key] ?? '';
    if (text === '' || parseQuantity(text) !== undefined) return text || otherwise;
    log.warn(
      { key, value: text },
      'the amount for restore-wait is not a quantity such as 100m or 128Mi and is not used',
    );
    return otherwise;
  };
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    name: restoreWaitName,
    image: config.image || image,
    command: config.command === undefined || config.command === '' ? commandDefault : [config.command],
    args: [restoreUid],
    env: [field('POD_NAMESPACE', 'metadata.namespace'), field('POD_NAME', 'metadata.name')],
    volumeMounts: [...volumes.map((name) => ({ name, mountPath: awaitedPath(name) })), wordMount],
    resources: {
      requests: {
        cpu: amountOf('cpuRequest', requestDefault(pod, 'cpu')),
        memory: amountOf('memRequest', requestDefault(pod, 'memory')),
      },
      limits: { cpu: amountOf('cpuLimit', amounts.cpu), memory: amountOf('memLimit', amounts.memory) },
    },
    securityContext: securityOf(pod, config, log),
  };
}

/**
 * The usual amount, but not more than the largest request of the pod's own containers. The scheduler reserves the largest need of
 * a pod at any time: with a larger request, pods that fitted on their nodes before the restore would no longer fit, for as long
 * as they live.
 */
function requestDefault({ spec }: Pod, resource: Resource): string {
  let largest = '0';
  for (const { resources } of spec.containers) {
    const request = resources?.requests?.[resource] ?? '0';
    if (isMore(request, largest)) largest = request;
  }
  return isMore(largest, amounts[resource]) ? amounts[resource] : largest;
}

function isMore(text: string, than: string): boolean {
  const [amount, other] = [parseQuantity(text), parseQuantity(than)];
  return amount !== undefined && other !== undefined && compareQuantities(amount, other) > 0;
}

/**
 * The ConfigMap's security context, otherwise that of the pod's first container, otherwise a user without privileges; settings
 * for all containers of the pod stay.
 */
function securityOf(pod: Pod, config: RestoreWaitConfig, log: Logger): ContainerSecurityContext {
  const said = configured(config, log);
  if (said !== undefined) return said;
  const first = pod.spec.containers[0]?.securityContext;
  if (first !== undefined && Object.keys(first).length > 0) return first;
  const ofPod: PodSecurityContext = pod.spec.securityContext ?? {};
  const own = Object.entries(securityDefault).filter(([key]) => ofPod[key] === undefined || ofPod[key] === null);
  // When the pod's user is root and the container sets none, our defaults must not forbid root.
  const isRoot = ofPod.runAsUser === 0;
  return Object.fromEntries(isRoot ? own.filter(([key]) => key !== 'runAsNonRoot') : own);
}

function configured(config: RestoreWaitConfig, log: Logger): ContainerSecurityContext | undefined {
  const whole = config.secCtx ?? '';
  if (whole !== '') {
    const parsed = securityText(whole, log);
    if (parsed !== undefined) return parsed;
  }
  const read = <T>(key: string, of: (text: string) => T | undefined): T | undefined => {
    const text = config[key] ?? '';
    const value = text === '' ? undefined : of(text);
    if (text !== '' && value === undefined)
      log.warn({ key, value: text }, 'the setting for restore-wait cannot be read');
    return value;
  };
  const id = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined);
  const flag = (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined);
  const parts = {
    runAsUser: read('secCtxRunAsUser', id),
    runAsGroup: read('secCtxRunAsGroup', id),
    allowPrivilegeEscalation: read('secCtxAllowPrivilegeEscalation', flag),
  };
  const set = Object.entries(parts).filter(([, value]) => value !== undefined);
  return set.length === 0 ? undefined : Object.fromEntries(set);
}

/** YAML, which includes JSON. */
function securityText(text: string, log: Logger): ContainerSecurityContext | undefined {
  try {
    const parsed = load(text, { schema: CORE_SCHEMA, maxDepth: 20, maxAliases: 10 });
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
    log.warn({ key: 'secCtx' }, 'the setting for restore-wait is not a map and is not used');
  } catch (error) {
    log.warn({ key: 'secCtx', err: error }, 'the setting for restore-wait cannot be read and is not used');
  }
  return undefined;
}
