import { annotations, attemptOf } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { DataPathResource, DataPathSubject } from './data-path-subject.ts';

/** The attempt that this mover's pod was made for, as its custom resource looked when it turned InProgress. */
export interface OwnAttempt {
  uid: string;
  attempt: number;
}

export const attemptIn = (resource: DataPathResource): OwnAttempt => ({
  uid: resource.metadata.uid ?? '',
  attempt: attemptOf(resource),
});

/**
 * The pod of another attempt, or another pod of the same one, may have the same name and outlive its object; node-agent names
 * the one that it means. A resource that names none was begun by a node-agent of an earlier version.
 * @throws DATA_PATH_NOT_OURS
 */
export function mustNamePod(
  resource: DataPathResource,
  podUid: string | undefined,
  { kind }: DataPathSubject,
): DataPathResource {
  const named = resource.metadata.annotations?.[annotations.hostingPodUid];
  if (named === undefined || podUid === undefined || named === podUid) return resource;
  const { namespace, name } = resource.metadata;
  throw new AppError('DATA_PATH_NOT_OURS', `${kind} ${namespace}/${name} is moved by another pod than this one`, {
    nextStep: 'This pod was replaced; nothing needs to be done.',
  });
}

/**
 * The resource continues in this attempt and this pod. Canceling is requested by spec.cancel, which other code checks.
 * @throws DATA_PATH_ENDED, DATA_PATH_NOT_OURS
 */
export function mustBeOwn(
  resource: DataPathResource,
  own: OwnAttempt,
  podUid: string | undefined,
  subject: DataPathSubject,
): void {
  const { namespace, name } = resource.metadata;
  const phase = resource.status?.phase;
  const now = attemptIn(resource);
  const ended = (what: string) =>
    new AppError('DATA_PATH_ENDED', `${subject.kind} ${namespace}/${name} ${what}`, {
      nextStep: 'Another attempt is made, or somebody has changed its status.',
    });
  if (now.uid !== own.uid) throw ended('was deleted, and made again');
  if (phase !== 'InProgress' && phase !== 'Canceling') throw ended(`is no longer InProgress but ${phase || 'New'}`);
  if (now.attempt !== own.attempt) throw ended(`is in attempt ${now.attempt}, and this is attempt ${own.attempt}`);
  mustNamePod(resource, podUid, subject);
}
