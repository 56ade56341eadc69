export { type Interruption, isInterruption, moverHasEnded } from './interruption.ts';
export { type FeedHandler, type KeyedFeed, keyedFeed } from './keyed-feed.ts';
export type { WatchLimits } from './limits.ts';
export type { LogRepeater } from './log-repeater.ts';
export { podInterruption } from './pod-interruption.ts';
export { eventFeedKey, podFeedKey, type WatchSubject } from './subject.ts';
export { watchHostingPod } from './watch-hosting-pod.ts';
export type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';
