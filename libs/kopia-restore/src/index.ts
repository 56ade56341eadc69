export type { RestoreLimit, RestoreReport } from '@lateen/datapath';
export { type LimitFigures, limitOf, limitThresholds } from './limit-of.ts';
