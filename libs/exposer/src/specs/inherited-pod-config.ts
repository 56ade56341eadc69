import {
  annotations,
  type Container,
  type DaemonSet,
  labels,
  logArguments,
  type PodSpec,
  pickKeys,
  presentFields,
  type Toleration,
  type Volume,
  type VolumeMount,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/**
 * What a hosting pod inherits from the node-agent's DaemonSet, so that it has the same permissions and configuration
 * (data-movement.md section 4).
 */
export interface InheritedPodConfig {
  container: Pick<Container, 'image' | 'env' | 'envFrom' | 'volumeMounts' | 'securityContext'>;
  pod: Pick<
    PodSpec,
    | 'serviceAccountName'
    | 'automountServiceAccountToken'
    | 'dnsPolicy'
    | 'dnsConfig'
    | 'imagePullSecrets'
    | 'securityContext'
  >;
  volumes: readonly Volume[];
  tolerations: readonly Toleration[];
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  /** `--log-level=…` and `--log-format=…`, as far as the node-agent has them. */
  logArgs: readonly string[];
}

/** The only tolerations that are inherited; others are for the agent's own scheduling. */
const inheritedTolerationKeys: readonly string[] = ['kubernetes.azure.com/scalesetpriority', 'CriticalAddonsOnly'];
const inheritedLabelKeys: readonly string[] = [labels.azureWorkloadIdentity];
const inheritedAnnotationKeys: readonly string[] = [annotations.iamRole];

/**
 * Reads the template. Host paths and their mounts are not inherited: a hosting pod sees its own volume and nothing of the node.
 * @throws EXPOSE_NODE_AGENT_SHAPE when the template has not exactly one container
 */
export function inheritedPodConfig(daemonSet: DaemonSet): InheritedPodConfig {
  const { metadata, spec } = daemonSet.spec.template;
  const [container, ...others] = spec.containers;
  if (container === undefined || others.length > 0) {
    throw new AppError(
      'EXPOSE_NODE_AGENT_SHAPE',
      `DaemonSet ${daemonSet.metadata.namespace}/${daemonSet.metadata.name} has ${spec.containers.length} containers`,
      {
        nextStep:
          'Hosting pods are made from its template, which must have exactly one container: move others elsewhere.',
      },
    );
  }
  const volumes = (spec.volumes ?? []).filter((volume) => volume.hostPath === undefined);
  const volumeNames = new Set(volumes.map((volume) => volume.name));
  return {
    container: {
      ...presentFields(container, ['image', 'env', 'envFrom', 'securityContext']),
      volumeMounts: (container.volumeMounts ?? []).filter((mount: VolumeMount) => volumeNames.has(mount.name)),
    },
    pod: presentFields(spec, [
      'serviceAccountName',
      'automountServiceAccountToken',
      'dnsPolicy',
      'dnsConfig',
      'imagePullSecrets',
      'securityContext',
    ]),
    volumes,
    tolerations: (spec.tolerations ?? []).filter((toleration) =>
      inheritedTolerationKeys.includes(toleration.key ?? ''),
    ),
    labels: pickKeys(metadata?.labels, inheritedLabelKeys),
    annotations: pickKeys(metadata?.annotations, inheritedAnnotationKeys),
    logArgs: logArguments(container),
  };
}
