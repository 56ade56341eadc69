import { cloudCredentials, labels, labelValues, repositoryCredentials, veleroGroup } from '@lateen/api-types';
import type { NamespaceContents, SeenObject } from './namespace-contents.ts';

/** What is known of the namespace while one object in it is judged. */
interface Surroundings {
  uids: ReadonlySet<string>;
  /** `Service shop` */
  titles: ReadonlySet<string>;
  /** Titles of the objects that our own objects name. */
  used: ReadonlySet<string>;
}

type Check = (object: SeenObject, around: Surroundings) => boolean;

/** `CronJob nightly` */
export const titleOfSeen = ({ kind, name }: Pick<SeenObject, 'kind' | 'name'>): string => `${kind} ${name}`;

const isOurs: Check = ({ labels: own }) => own['app.kubernetes.io/part-of'] === 'lateen';

/** Objects of Lateen and of Velero that no label identifies. */
const wellKnown: ReadonlySet<string> = new Set([
  `Secret ${cloudCredentials.name}`,
  `Secret ${repositoryCredentials.name}`,
  'ConfigMap enableapigroupversions',
]);

const isWellKnown: Check = (object) =>
  wellKnown.has(titleOfSeen(object)) || (object.kind === 'Lease' && object.name.startsWith('lateen-'));

const isUsedByOurs: Check = (object, { used }) => used.has(titleOfSeen(object));

/** Labels that only movements, deletion and maintenance put on the objects that they create; restored objects have none of them. */
const ownLabels = [
  labels.exposedFor,
  labels.repoName,
  labels.dataUploadSnapshotInfo,
  labels.resourceUsage,
  labels.pluginConfig,
] as const;

const isMadeByOurs: Check = (object) => ownLabels.some((key) => object.labels[key] !== undefined);

/** The remains of a Velero installation; workloads of it that still run count as foreign. */
const isRestOfReference: Check = ({ kind, labels: own }) =>
  own[labels.component] === labelValues.velero && ['Secret', 'ConfigMap', 'ServiceAccount'].includes(kind);

/** The owner is in the namespace and counted there, or it is of velero.io. An owner that is not in the namespace does not count. */
const hasOwnerHere: Check = ({ owners }, { uids }) =>
  owners.some(({ uid, group }) => uids.has(uid) || group === veleroGroup);

/** Objects that Kubernetes creates in every namespace. */
const ofKubernetes: ReadonlySet<string> = new Set(['ServiceAccount default', 'ConfigMap kube-root-ca.crt']);

const isOfKubernetes: Check = (object) => ofKubernetes.has(titleOfSeen(object));

/** The object belongs to its Service or its service account, which is counted. */
const comesWithAnother: Check = ({ kind, name, tokenOf }, { titles }) =>
  (kind === 'Endpoints' && titles.has(`Service ${name}`)) ||
  (tokenOf !== undefined && titles.has(`ServiceAccount ${tokenOf}`));

const excuses: readonly Check[] = [
  isOurs,
  isWellKnown,
  isUsedByOurs,
  isMadeByOurs,
  isRestOfReference,
  hasOwnerHere,
  isOfKubernetes,
  comesWithAnother,
];

/** Kinds whose loss is worst come first in lists that are cut. */
const weight = ['PersistentVolumeClaim', 'StatefulSet', 'Deployment', 'DaemonSet', 'CronJob', 'Job', 'Pod', 'Secret'];
const weightOf = ({ kind }: SeenObject): number => (weight.includes(kind) ? weight.indexOf(kind) : weight.length);

/**
 * Returns the objects that are neither Lateen's nor made by Kubernetes itself: a user would miss them. `used` has the titles of objects
 * that our own objects name. Pure.
 */
export function foreignAmong({ objects }: NamespaceContents, used: ReadonlySet<string>): SeenObject[] {
  const around: Surroundings = {
    uids: new Set(objects.map(({ uid }) => uid)),
    titles: new Set(objects.map(titleOfSeen)),
    used,
  };
  return objects
    .filter((object) => !excuses.some((excuse) => excuse(object, around)))
    .sort((a, b) => weightOf(a) - weightOf(b) || titleOfSeen(a).localeCompare(titleOfSeen(b), 'en'));
}
