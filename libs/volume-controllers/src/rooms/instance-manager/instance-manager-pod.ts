import { createHash } from 'node:crypto';
import type { Pod, PodSpec } from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';
import {
  type InstanceManager,
  instanceManagerImageLabel,
  storageLabels,
  storageLabelValues,
} from '@lateen/storage-types';
import { volumeManagerTls } from '../../certificate/certificate-secret.ts';
import type { PodDisruptionBudget } from './pod-disruption-budget.ts';
import type { PodSettings } from './pod-settings.ts';

/** Ports of an instance manager: its API, and the readiness probe for kubelet. */
export const instanceManagerPorts = { api: 8500, health: 8501 } as const;

/** Other programs rely on the names of the pod, its ServiceAccount and its container. */
export const instanceManagerAccount = 'instance-manager';
export const instanceManagerContainer = 'instance-manager';

/** Below this directory of a node each instance manager keeps its records, sockets and logs; they survive its container. */
export const runtimeDirectoryOfNode = '/var/lib/lateen-storage';

/** Digest of the pod's input, on the pod: a different digest requires a new pod. */
export const podDigestAnnotation = 'storage.lateen.dev/pod-digest';

/** After SIGTERM, volumes of the pod are flushed and detached within this time (`--grace-seconds`); kubelet waits longer. */
const graceSeconds = { volumes: 90, pod: 120 } as const;

/** Labels by which clients of Longhorn find pods and objects of an instance manager. */
export function instanceManagerLabels(node: string, image: string): Record<string, string> {
  return {
    [storageLabels.component]: storageLabelValues.instanceManager,
    [storageLabels.managedBy]: storageLabelValues.manager,
    [storageLabels.instanceManagerType]: 'aio',
    [storageLabels.instanceManagerImage]: instanceManagerImageLabel(image),
    [storageLabels.instanceManagerNode]: node,
    [storageLabels.dataEngine]: 'v1',
  };
}

/** The pod of an instance manager. It has the name of the object and is deleted with it. */
export function instanceManagerPod(manager: InstanceManager, settings: PodSettings): Pod {
  const { name = '', namespace = '' } = manager.metadata;
  const { nodeID = '', image = '' } = manager.spec;
  const spec = podSpec(name, nodeID, image, settings);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: instanceManagerLabels(nodeID, image),
      annotations: { [podDigestAnnotation]: digestOf(spec) },
      ownerReferences: [ownerReferenceTo(manager, { controller: true })],
    },
    spec,
  };
}

function podSpec(name: string, node: string, image: string, settings: PodSettings): PodSpec {
  const { tolerations, nodeSelector, priorityClass, imagePullPolicy, registrySecret, defaultDataPath } = settings;
  return {
    // Not left to the scheduler: the pod belongs to this node, even when the node is cordoned.
    nodeName: node,
    nodeSelector: { ...nodeSelector },
    tolerations: [...tolerations],
    serviceAccountName: instanceManagerAccount,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: graceSeconds.pod,
    ...(priorityClass === '' ? {} : { priorityClassName: priorityClass }),
    ...(registrySecret === '' ? {} : { imagePullSecrets: [{ name: registrySecret }] }),
    containers: [
      {
        name: instanceManagerContainer,
        image,
        imagePullPolicy,
        command: ['tini', '--', 'lateen-instance-manager', 'keep'],
        args: [
          '--host-root=/host',
          `--default-data-path=${defaultDataPath}`,
          `--grace-seconds=${graceSeconds.volumes}`,
          '--log-format=json',
        ],
        env: [
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
          { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
        ports: [
          { name: 'api', containerPort: instanceManagerPorts.api },
          { name: 'health', containerPort: instanceManagerPorts.health },
        ],
        // No liveness probe: killing the container would end every volume of the node. When the program hangs, `keep` restarts it without touching
        // the volumes.
        readinessProbe: {
          httpGet: { path: '/readyz', port: 'health' },
          periodSeconds: 3,
          timeoutSeconds: 3,
          failureThreshold: 3,
        },
        ...(settings.cpuRequestMilli === 0 ? {} : { resources: { requests: { cpu: `${settings.cpuRequestMilli}m` } } }),
        // Loop devices, FUSE, mounts of the node.
        securityContext: { privileged: true },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [
          { name: 'host', mountPath: '/host', mountPropagation: 'HostToContainer' },
          { name: 'dev', mountPath: '/dev' },
          { name: 'runtime', mountPath: '/var/run/lateen-storage' },
          { name: 'tls', mountPath: '/tls', readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: 'host', hostPath: { path: '/', type: 'Directory' } },
      { name: 'dev', hostPath: { path: '/dev', type: 'Directory' } },
      { name: 'runtime', hostPath: { path: `${runtimeDirectoryOfNode}/${name}`, type: 'DirectoryOrCreate' } },
      { name: 'tls', secret: { secretName: volumeManagerTls.secret, defaultMode: 0o400 } },
    ],
  };
}

const digestOf = (spec: PodSpec): string =>
  createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 32);

/** Keeps the pod from being evicted when its node is drained. It has the name of the object and is deleted with it. */
export function disruptionBudget(manager: InstanceManager): PodDisruptionBudget {
  const { name = '', namespace = '' } = manager.metadata;
  const { nodeID = '', image = '' } = manager.spec;
  const labels = instanceManagerLabels(nodeID, image);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, labels, ownerReferences: [ownerReferenceTo(manager, { controller: true })] },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  };
}
