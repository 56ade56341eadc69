export { type Probes, type ProbesOptions, startProbes } from './start-probes.ts';
