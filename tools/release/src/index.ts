export { type MakeReleaseOptions, makeRelease } from './make-release.ts';
