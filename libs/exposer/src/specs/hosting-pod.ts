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
export type HostingPodGroup = 'snapshot-exposer' | 'generic-restore-exposer';

export interface HostingPodInput {
  owner: ExposeOwner;
  group: HostingPodGroup;
  /** The label whose value is the owner's name: `velero.io/data-upload` or `velero.io/data-download`. */
  ownerLabel: string;
  inherited: InheritedPodConfig;
  /** What comes after `data-mover`, without the log flags. */
  args: readonly string[];
  volumeMode: VolumeMode;
  affinity?: Affinity;
  nodeSelector?: Readonly<Record<string, string>>;
  /** Keeps the scheduler off until {@link openedPatch} is applied. */
  gated?: boolean;
  /** None means best effort, as the reference does by default. */
  resources?: ResourceRequirements | undefined;
  /** The volume is mounted for reading only. */
  readOnly?: boolean;
  /** The pod runs as SELinux type `spc_t`, so that its volume is not relabelled. */
  spcNoRelabeling?: boolean;
  /** The pod has a volume for its engine's cache, on the claim `<owner>-cache`. */
  cacheVolume?: boolean;
  settings: Pick<ExposureSettings, 'priorityClassName' | 'podLabels' | 'podAnnotations' | 'slots'>;
}

/** A pod that is looked at before its volume is bound fails its first scheduling and is then held back for seconds. */
const volumeGate = 'lateen.dev/volume-bound';

/**
 * By its own uid a mover marks its Events, so that a watcher can tell them from those of an earlier attempt's pod, which
 * had the same name.
 */
const podUid: EnvVar = { name: 'LATEEN_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } };

/** Lets a gated pod be scheduled; of no effect on one that is. */
export const openedPatch: object = { spec: { schedulingGates: null } };

/** Where the volume is inside the hosting pod: a directory, or a device in block mode. */
export function volumePathOf(owner: ExposeOwner): string {
  return `/${owner.uid}`;
}

/**
 * The pod that hosts one data mover (data-movement.md section 4, "Data-mover pod spec"). It never restarts: its end is
 * the end of the data movement. It is deleted without a grace period because by then there is nothing to end.
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
    securityContext: podSecurity(inherited.pod.securityContext, { spcNoRelabeling: input.spcNoRelabeling === true }),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: groupLabel },
      },
    ],
    volumes: [...inherited.volumes, ...ownVolumes(input)],
    containers: [moverContainer(input)],
  };
  if (inherited.tolerations.length > 0) spec.tolerations = [...inherited.tolerations];
  if (settings.priorityClassName !== undefined) spec.priorityClassName = settings.priorityClassName;
  if (input.gated === true) spec.schedulingGates = [{ name: volumeGate }];
  if (input.affinity !== undefined) spec.affinity = input.affinity;
  if (input.nodeSelector !== undefined) spec.nodeSelector = { ...input.nodeSelector };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

function ownVolumes({ owner, readOnly, cacheVolume }: HostingPodInput): Volume[] {
  const claim = { claimName: owner.name, ...(readOnly === true ? { readOnly: true } : {}) };
  return [
    { name: owner.uid, persistentVolumeClaim: claim },
    ...(cacheVolume === true
      ? [{ name: cacheVolumeName, persistentVolumeClaim: { claimName: cacheClaimName(owner) } }]
      : []),
  ];
}

function moverContainer(input: HostingPodInput): Container {
  const { owner, group, inherited, args, volumeMode, resources, settings } = input;
  const { volumeMounts = [], securityContext: inheritedSecurity, ...rest } = inherited.container;
  const security = containerSecurity(inheritedSecurity, { writableRoot: group === 'generic-restore-exposer' });
  const slots = settings.slots === undefined ? [] : [slotsVariable(settings.slots)];
  const ownVariables = [podUid, ...slots, ...limitVariables(resources), ...scratchVariables(inherited)];
  const own = new Set(ownVariables.map(({ name }) => name));
  const container: Container = {
    ...rest,
    name: owner.uid,
    // The agent's image is on every node that runs an agent; pulling it again could only fail.
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
  };
  if (volumeMode === 'Block') container.volumeDevices = [{ name: owner.uid, devicePath: volumePathOf(owner) }];
  else container.volumeMounts?.push(mount);
  if (input.cacheVolume === true) container.volumeMounts?.push({ name: cacheVolumeName, mountPath: cacheVolumePath });
  if (security !== undefined) container.securityContext = security;
  if (resources !== undefined) container.resources = resources;
  return container;
}
