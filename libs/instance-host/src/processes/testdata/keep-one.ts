// Starts one process like an instance manager, prints its pid, and waits to be killed. Arguments: a folder and the process as JSON.
import { silentLogger, systemClock } from '@lateen/kernel';
import { realMachine } from '../machine.ts';
import { ProcessKeeper } from '../process-keeper.ts';
import { recordFiles } from '../record-files.ts';

const [directory = '', wanted = ''] = process.argv.slice(2);
const keeper = await ProcessKeeper.open({
  machine: realMachine({ env: { PATH: '/usr/bin:/bin' }, logs: directory }),
  records: recordFiles(directory),
  answers: async () => true,
  clock: systemClock,
  log: silentLogger,
});
keeper.want(JSON.parse(wanted));
const { processes } = await keeper.pass(new AbortController().signal);
console.log(processes[0]?.pid);
await systemClock.sleep(600_000);
