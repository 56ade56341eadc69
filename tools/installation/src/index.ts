export type { RunningLateen } from './running-lateen.ts';
export { type StartLateenOptions, startLateen } from './start-lateen.ts';
