/** One line of a program's standard error. */
export interface PluginLogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** hclog's levels and logrus'. */
const levels: Readonly<Record<string, PluginLogLine['level']>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  panic: 'error',
};

/** What the host's log has by itself, and logrus' mark for its own hook. */
const droppedFields = new Set(['@message', '@level', '@timestamp', '@logSourceSetBy', 'level', 'time', 'timestamp']);

/**
 * Reads the lines of one process in their order: JSON of hclog or logrus, `[INFO] text`; everything else is debug, as in Velero, but a panic
 * of Go with all that follows it, which is info: the caller that sees the program end reports that as an error, once. Never throws.
 */
export function pluginLogReader(): (line: string) => PluginLogLine {
  let panicking = false;
  return (line) => {
    const structured = jsonLine(line);
    if (structured !== undefined) return structured;
    const tag = /^\[(TRACE|DEBUG|INFO|WARN|ERROR)\]/.exec(line)?.[1]?.toLowerCase();
    if (tag !== undefined) return { level: levels[tag] ?? 'debug', message: line, fields: {} };
    panicking ||= isPanic(line);
    return { level: panicking ? 'info' : 'debug', message: line, fields: {} };
  };
}

/** The first line of how the runtime of Go says that the program ends here, and Node when its memory is full (`FATAL ERROR: …`). */
export const isPanic = (line: string): boolean => /^(panic|fatal error|FATAL ERROR): /.test(line);

function jsonLine(line: string): PluginLogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const level = typeof value['@level'] === 'string' ? levels[value['@level'].toLowerCase()] : undefined;
  if (level === undefined) return { level: 'debug', message: line, fields: {} };
  const message = typeof value['@message'] === 'string' ? value['@message'] : '';
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => !droppedFields.has(name)));
  return { level, message, fields };
}

/** A line that hosts on go-plugin read: a time would be parsed strictly and is theirs to add. */
export function pluginLogText({ level, message, fields }: PluginLogLine, module?: string): string {
  const named = module === undefined ? {} : { '@module': module };
  return JSON.stringify({ ...fields, '@level': level, '@message': message, ...named });
}
