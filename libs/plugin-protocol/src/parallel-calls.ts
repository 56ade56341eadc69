/** The most that `lateen.plugin.v1.Program/Describe` may say: a server makes no more calls to one process in parallel. */
export const parallelCallsMax = 32;
