import { labels } from '@lateen/api-types';

/**
 * Label on objects that cannot have an owner reference (cluster-scoped ones, or a volume that outlives its owner): the UID of the
 * owner for which they were made. A clean-up finds them by it.
 */
export const exposedForLabel = labels.exposedFor;

/** On our VolumeSnapshotContent: the name of the content that the snapshot was taken over from. */
export const takenOverFromAnnotation = 'lateen.dev/taken-over-from';

/** Next to it: the UIDs of that content and of its snapshot. Other objects may have their names by the time of the clean-up. */
export const takenOverContentUidAnnotation = 'lateen.dev/taken-over-content-uid';
export const takenOverSnapshotUidAnnotation = 'lateen.dev/taken-over-snapshot-uid';

/**
 * Next to them: the driver's handle of the volume that the snapshot is of; a content that only has the handle of a snapshot does
 * not name it.
 */
export const takenOverVolumeHandleAnnotation = 'lateen.dev/taken-over-volume-handle';

/** On a volume that is being handed to its target claim: the reclaim policy to restore. */
export const reclaimPolicyAnnotation = 'lateen.dev/reclaim-policy';
