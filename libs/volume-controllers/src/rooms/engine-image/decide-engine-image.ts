import { hostApi } from '@lateen/block-engine';
import { apiTime } from '@lateen/kube';
import type {
  Engine,
  EngineImage,
  EngineImageStatus,
  InstanceManager,
  LonghornNode,
  Replica,
  Volume,
} from '@lateen/storage-types';
import { type Decision, withCondition } from '@lateen/volume-decisions';

export interface EngineImageSeen {
  readonly image: EngineImage;
  readonly nodes: readonly LonghornNode[];
  readonly instanceManagers: readonly InstanceManager[];
  readonly volumes: readonly Volume[];
  readonly engines: readonly Engine[];
  readonly replicas: readonly Replica[];
  /** The image of instance managers of the present release; "" while it is unknown. */
  readonly defaultImage: string;
  /** The version of this program. */
  readonly version: string;
}

/**
 * On which nodes an image can be used, and how many objects use it. The image has no pods of its own: a node has it once an instance manager of this
 * image has run there, and as long as that instance manager exists. Ownership of volumes depends on it, so it must not change with every restart.
 */
export function decideEngineImage(seen: EngineImageSeen, nowMs: number): Decision<EngineImageStatus, never> {
  const { image, nodes, version } = seen;
  const before = image.status ?? {};
  const nodeDeploymentMap = Object.fromEntries(
    nodes
      .map(({ metadata: { name = '' } }) => [name, hasImage(seen, name)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const ready = nodes.filter(isReady).map(({ metadata: { name = '' } }) => name);
  const missing = ready.filter((name) => nodeDeploymentMap[name] !== true).sort();
  const isDeployed = ready.length > 0 && missing.length === 0;
  const refCount = users(seen);
  const message = isDeployed
    ? ''
    : missing.length === 0
      ? 'no node is ready'
      : `no instance manager has run yet on ${missing.join(', ')}`;
  const status: EngineImageStatus = {
    ...before,
    state: isDeployed ? 'deployed' : 'deploying',
    nodeDeploymentMap,
    refCount,
    noRefSince: refCount > 0 ? '' : before.noRefSince || apiTime(nowMs),
    incompatible: false,
    conditions: withCondition(
      before.conditions,
      { type: 'ready', status: isDeployed ? 'True' : 'False', reason: isDeployed ? '' : 'deploying', message },
      nowMs,
    ),
    version,
    gitCommit: before.gitCommit ?? '',
    buildDate: before.buildDate ?? '',
    cliAPIVersion: hostApi.max,
    cliAPIMinVersion: hostApi.min,
    controllerAPIVersion: hostApi.max,
    controllerAPIMinVersion: hostApi.min,
    dataFormatVersion: 1,
    dataFormatMinVersion: 1,
  };
  const wasDeployed = before.state === 'deployed';
  return {
    status,
    effects: [],
    events: isDeployed === wasDeployed || before.state === undefined ? [] : [changed(isDeployed, message)],
  };
}

const changed = (isDeployed: boolean, message: string) =>
  isDeployed
    ? ({ type: 'Normal', reason: 'Deployed', message: 'the image can be used on every node that is ready' } as const)
    : ({ type: 'Warning', reason: 'Deploying', message } as const);

const isReady = ({ metadata, status }: LonghornNode): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';

/**
 * It has reported its versions, so it has run. An instance manager of the present release also serves volumes of earlier ones, because the update
 * removes their own instance managers: otherwise nobody could handle these volumes any more.
 */
const hasImage = ({ image, instanceManagers, defaultImage }: EngineImageSeen, node: string): boolean =>
  instanceManagers.some(
    ({ spec, status }) =>
      spec.nodeID === node &&
      (spec.image === image.spec.image || (defaultImage !== '' && spec.image === defaultImage)) &&
      (status?.apiVersion ?? 0) > 0,
  );

/** Number of objects that name the image or run with it. */
function users({ image, volumes, engines, replicas }: EngineImageSeen): number {
  const uses = ({ spec, status }: Volume | Engine | Replica): boolean =>
    spec.image === image.spec.image || status?.currentImage === image.spec.image;
  return [...volumes, ...engines, ...replicas].filter(uses).length;
}
