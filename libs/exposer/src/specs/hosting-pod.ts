import {
  type Affinity,
  type Container,
  type EnvVar,
  getValidName,
  labels,
  limitVariables,
  type Pod,
  type PodSpec,
  type ResourceRequirements,
  slotsVariable,
  type Toleration,
  type Volume,
  type VolumeMode,
} from '@lateen/api-types';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';
import type { ExposureSettings } from '../settings/exposure-settings.ts';
import { cacheClaimName, cacheVolumeName, cacheVolumePath } from './cache-volume.ts';
import type { InheritedPodConfig } from './inherited-pod-config.ts';
import { scratchVariables } from './scratch-variable.ts';
import { containerSecurity, podSecurity } from './security.ts';

/** Which exposer a pod belongs to; pods of one group spread over the nodes. */
export type HostingPodGroup = 'snapshot-exposer' | 'generic-restore-exposer' | 'pod-volume-exposer';

export interface HostingPodInput {
  owner: ExposeOwner;
  group: HostingPodGroup;
  /** The label whose value is the owner's name, such as `velero.io/data-upload`. */
  ownerLabel: string;
  inherited: InheritedPodConfig;
  /** The arguments after `data-mover`, without the log flags. */
  args: readonly string[];
  volumeMode: VolumeMode;
  affinity?: Affinity;
  nodeSelector?: Readonly<Record<string, string>>;
  /** The only node that is possible: the pod bypasses the scheduler. */
  nodeName?: string;
  /** Added to the inherited tolerations. */
  tolerations?: readonly Toleration[];
  /** A scheduling gate holds the pod back until {@link openedPatch} is applied. */
  gated?: boolean;
  /** None means best effort, which is Velero's default. */
  resources?: ResourceRequirements | undefined;
  /** A directory of the node that is the volume; absent means that the pod mounts the claim of the owner's name. */
  hostPath?: string | undefined;
  /** The volume is mounted for reading only. */
  readOnly?: boolean;
  /** For restores: the mover also writes outside of the volume. */
  writableRoot?: boolean;
  privileged?: boolean;
  /** SELinux level of the files in the volume, when that is known. */
  seLinuxLevel?: string | undefined;
  /** The pod runs as SELinux type `spc_t`, so that its volume is not relabelled. */
  spcNoRelabeling?: boolean;
  /** The pod has a volume for its engine's cache, on the claim `<owner>-cache`. */
  cacheVolume?: boolean;
  settings: Pick<ExposureSettings, 'priorityClassName' | 'podLabels' | 'podAnnotations' | 'slots'>;
}

/** When the scheduler sees a pod before its volume is bound, the first scheduling fails, and the pod is delayed for seconds. */
const volumeGate = 'lateen.dev/volume-bound';

/**
 * A mover marks its Events with the UID of its own pod, so that a watcher can tell them from those of an earlier attempt's pod
 * with the same name.
 */
const podUid: EnvVar = { name: 'LATEEN_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } };

/** Removes the scheduling gate; does nothing to a pod without one. */
export const openedPatch: object = { spec: { schedulingGates: null } };

/** Path of the volume inside the hosting pod: a directory, or a device in block mode. */
export function volumePathOf(owner: ExposeOwner): string {
  return `/${owner.uid}`;
}

/**
 * The pod that hosts one data mover (data-movement.md section 4, "Data-mover pod spec"). It never restarts: its end is the end of
 * the data movement. It is deleted without a grace period, because its mover has ended by then.
 */
export function hostingPod(input: HostingPodInput): Pod {
  const { owner, inherited, settings } = input;
  const groupLabel = { [labels.exposerPodGroup]: input.group };
  const metadata: Pod['metadata'] = {
    name: owner.name,
    namespace: owner.namespace,
    labels: {
      ...(settings.podLabels ?? inherited.labels),
      [input.ownerLabel]: getValidName(owner.name),
      ...groupLabel,
    },
    ownerReferences: [ownerReferenceTo(owner)],
  };
  const annotations = settings.podAnnotations ?? inherited.annotations;
  if (Object.keys(annotations).length > 0) metadata.annotations = { ...annotations };
  const spec: PodSpec = {
    ...inherited.pod,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    os: { name: 'linux' },
    securityContext: podSecurity(inherited.pod.securityContext, {
      spcNoRelabeling: input.spcNoRelabeling === true,
      seLinuxLevel: input.seLinuxLevel,
    }),
    ...placeOf(input, groupLabel),
    volumes: [...inherited.volumes, ...ownVolumes(input)],
    containers: [moverContainer(input)],
  };
  const tolerations = [...inherited.tolerations, ...(input.tolerations ?? [])];
  if (tolerations.length > 0) spec.tolerations = tolerations;
  if (settings.priorityClassName !== undefined) spec.priorityClassName = settings.priorityClassName;
  if (input.gated === true) spec.schedulingGates = [{ name: volumeGate }];
  if (input.affinity !== undefined) spec.affinity = input.affinity;
  if (input.nodeSelector !== undefined) spec.nodeSelector = { ...input.nodeSelector };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

/** A pod with a fixed node has no topology spread. */
function placeOf({ nodeName }: HostingPodInput, groupLabel: Record<string, string>): Partial<PodSpec> {
  if (nodeName !== undefined) return { nodeName };
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: groupLabel },
      },
    ],
  };
}

function ownVolumes({ owner, hostPath, readOnly, cacheVolume }: HostingPodInput): Volume[] {
  const claim = { claimName: owner.name, ...(readOnly === true ? { readOnly: true } : {}) };
  return [
    hostPath === undefined
      ? { name: owner.uid, persistentVolumeClaim: claim }
      : { name: owner.uid, hostPath: { path: hostPath, type: 'Directory' } },
    ...(cacheVolume === true
      ? [{ name: cacheVolumeName, persistentVolumeClaim: { claimName: cacheClaimName(owner) } }]
      : []),
  ];
}

function moverContainer(input: HostingPodInput): Container {
  const { owner, inherited, args, volumeMode, resources, settings } = input;
  const { volumeMounts = [], securityContext: inheritedSecurity, ...rest } = inherited.container;
  const security = containerSecurity(inheritedSecurity, {
    writableRoot: input.writableRoot === true,
    privileged: input.privileged === true,
  });
  const slots = settings.slots === undefined ? [] : [slotsVariable(settings.slots)];
  const ownVariables = [podUid, ...slots, ...limitVariables(resources), ...scratchVariables(inherited)];
  const own = new Set(ownVariables.map(({ name }) => name));
  const container: Container = {
    ...rest,
    name: owner.uid,
    // The agent's image is on every node that runs an agent; a pull could only fail.
    imagePullPolicy: 'Never',
    command: ['data-mover'],
    args: [
      ...args,
      ...(input.cacheVolume === true ? [`--cache-volume-path=${cacheVolumePath}`] : []),
      ...inherited.logArgs,
    ],
    env: [...(inherited.container.env ?? []).filter(({ name }) => !own.has(name)), ...ownVariables],
    volumeMounts: [...volumeMounts],
  };
  const mount = {
    name: owner.uid,
    mountPath: volumePathOf(owner),
    ...(input.readOnly === true ? { readOnly: true } : {}),
    // Mounts below the volume that appear or go while the mover runs are seen as the client pod sees them.
    ...(input.hostPath === undefined ? {} : { mountPropagation: 'HostToContainer' as const }),
  };
  if (volumeMode === 'Block') container.volumeDevices = [{ name: owner.uid, devicePath: volumePathOf(owner) }];
  else container.volumeMounts?.push(mount);
  if (input.cacheVolume === true) container.volumeMounts?.push({ name: cacheVolumeName, mountPath: cacheVolumePath });
  if (security !== undefined) container.securityContext = security;
  if (resources !== undefined) container.resources = resources;
  return container;
}
