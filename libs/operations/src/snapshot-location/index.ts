export { snapshotLocationNoun } from './snapshot-location-noun.ts';
