export {
  answerLost,
  noSnapshotter,
  noSnapshotters,
  type SnapshotterCall,
  type SnapshotterSource,
  type SnapshotterVolumeInfo,
  type VolumeSnapshotter,
} from './volume-snapshotter.ts';
