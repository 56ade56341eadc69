export { controllerMetrics } from './controller-metrics.ts';
export { type Probes, type ProbesOptions, startProbes } from './start-probes.ts';
