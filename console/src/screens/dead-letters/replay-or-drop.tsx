import { useEffect, useState } from 'preact/hooks';
import { type ApiError, refusalIn } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { type Progress, replayOrDrop, type Selection } from '../../api/dead-letters.ts';
import type { SettledDeadLetters } from '../../api/types.ts';
import { TypedName } from '../../parts/loading/change.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Button, submitted } from '../../parts/form.tsx';
import { count, plural } from '../../parts/numbers.ts';
import { Problem } from '../../parts/loading/use-load.tsx';

type How = 'replay' | 'drop';

interface ReplayOrDropProps {
  /** On the buttons. */
  readonly labels: Readonly<Record<How, string>>;
  readonly selection: Selection;
  /** What must be typed before something is dropped. */
  readonly name: string;
  readonly onChange: () => void;
}

/** Replay and drop: the count first, a name for the drop, then a bar. */
export function ReplayOrDrop({ labels, selection, name, onChange }: ReplayOrDropProps) {
  const [how, setHow] = useState<How>();
  const close = (isDone: boolean): void => {
    setHow(undefined);
    if (isDone) onChange();
  };
  return (
    <div class="row settling">
      <Button label={labels.replay} onClick={() => setHow('replay')} />
      <Button label={labels.drop} onClick={() => setHow('drop')} />
      {how !== undefined && <ReplayOrDropDialog how={how} selection={selection} name={name} onClose={close} />}
    </div>
  );
}

type Stage =
  | { readonly at: 'counting' | 'working'; readonly progress?: Progress }
  | { readonly at: 'counted' | 'done'; readonly result: SettledDeadLetters }
  | { readonly at: 'failed'; readonly error: ApiError };

interface DialogProps extends Pick<ReplayOrDropProps, 'selection' | 'name'> {
  readonly how: How;
  readonly onClose: (isDone: boolean) => void;
}

/** The run that counts, and the one that does it. */
function useRun({ how, selection }: DialogProps) {
  const [stage, setStage] = useState<Stage>({ at: 'counting' });
  const run = async (isDry: boolean): Promise<void> => {
    const at = isDry ? 'counting' : 'working';
    setStage({ at });
    try {
      const body = isDry ? { ...selection, dry_run: true } : selection;
      const result = await replayOrDrop(how, body, (progress) => setStage({ at, progress }));
      setStage({ at: isDry ? 'counted' : 'done', result });
    } catch (error) {
      setStage({ at: 'failed', error: refusalIn(error) });
    }
  };
  return { stage, run };
}

function ReplayOrDropDialog(props: DialogProps) {
  const { how, name, onClose } = props;
  const { stage, run } = useRun(props);
  const [typed, setTyped] = useState('');
  useEffect(() => void run(true), []);
  const due = stage.at === 'counted' && countOf(stage.result.messages) > 0 ? stage.result : undefined;
  const isNamed = how === 'replay' || typed.trim() === name;
  const verb = how === 'replay' ? 'Replay' : 'Drop';
  return (
    <Dialog title={`${verb} dead letters`} look="confirm" onClose={() => onClose(stage.at === 'done')}>
      {(close) => (
        <form onSubmit={submitted(() => due !== undefined && isNamed && void run(false))}>
          <StageView how={how} stage={stage} />
          {due !== undefined && how === 'drop' && <TypedName name={name} typed={typed} onType={setTyped} />}
          <div class="row">
            {due !== undefined && (
              <Button
                label={`${verb} ${messagesOf(due)}`}
                type="submit"
                look={how === 'drop' ? 'danger' : 'primary'}
                disabled={!isNamed}
              />
            )}
            <Button label={due === undefined ? 'Close' : 'Cancel'} look="plain" onClick={close} />
          </div>
        </form>
      )}
    </Dialog>
  );
}

function StageView({ how, stage }: { readonly how: How; readonly stage: Stage }) {
  if (stage.at === 'failed') return <Problem error={stage.error} />;
  if (stage.at === 'counted') return <Counted how={how} result={stage.result} />;
  if (!('result' in stage))
    return (
      <label>
        <span class="label">{stage.at === 'counting' ? 'Counting…' : 'Working…'}</span>
        <progress
          {...(stage.progress && {
            value: countOf(stage.progress.done),
            max: Math.max(1, countOf(stage.progress.total)),
          })}
        />
      </label>
    );
  return (
    <p role="status">
      {messagesOf(stage.result)} {how === 'replay' ? 'replayed' : 'dropped'}.
    </p>
  );
}

function Counted({ how, result }: { readonly how: How; readonly result: SettledDeadLetters }) {
  const [before, undecodable] = [countOf(result.settled_before), countOf(result.still_undecodable)];
  return (
    <>
      {countOf(result.messages) === 0 ? (
        <p>None of them is waiting any more.</p>
      ) : (
        <p>
          {how === 'replay'
            ? `${messagesOf(result)} will be processed again, unchanged. This helps once the cause is fixed.`
            : `${messagesOf(result)} will not be stored. The log keeps ${countOf(result.messages) === 1 ? 'it' : 'them'}.`}
        </p>
      )}
      {how === 'replay' && undecodable > 0 && (
        <p class="quiet">
          {count(undecodable)} of them cannot be read by this version either, and will come back here.
        </p>
      )}
      {before > 0 && <p class="quiet">{count(before)} were already settled and stay as they are.</p>}
    </>
  );
}

function messagesOf({ messages }: SettledDeadLetters): string {
  return plural(countOf(messages), 'message');
}
