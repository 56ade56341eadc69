import { labels } from '@lateen/api-types';

/**
 * On objects that cannot carry an owner reference (cluster-scoped ones, or a volume that outlives its owner): the uid
 * of the owner they were made for. A clean-up finds them by it.
 */
export const exposedForLabel = labels.exposedFor;

/** On our VolumeSnapshotContent: the name of the content that the snapshot was taken over from. */
export const takenOverFromAnnotation = 'lateen.dev/taken-over-from';

/** Beside it: the uids of that content and of its snapshot. Their names may be somebody else's by the time of the clean-up. */
export const takenOverContentUidAnnotation = 'lateen.dev/taken-over-content-uid';
export const takenOverSnapshotUidAnnotation = 'lateen.dev/taken-over-snapshot-uid';

/** Beside them: what the driver calls the volume that the snapshot is of; a content that only has the handle of a snapshot does not say it. */
export const takenOverVolumeHandleAnnotation = 'lateen.dev/taken-over-volume-handle';

/** On a volume that is being handed to its target claim: the reclaim policy to give back to it. */
export const reclaimPolicyAnnotation = 'lateen.dev/reclaim-policy';
