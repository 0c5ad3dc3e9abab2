import com.segment.analytics.*;
import com.segment.analytics.messages.*;

final class Segment implements Calls.Sender {
  private final Analytics analytics;

  private Segment(String url, String writeKey) {
    Analytics analytics = Analytics.builder(writeKey)
        .endpoint(url)
        .callback(new Pending())
        .build();

    this.analytics = analytics;
  }

  public static void main(String[] args) throws Exception {
    Calls.run(new Segment(args[0], args[1]));
  }

  @Override
  public void flush() {
    analytics.flush();
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public void send(Calls.Call call) {
    MessageBuilder message = messageOf(call).timestamp(call.time());
    if (call.userId != null) message.userId(call.userId);
    if (call.anonymousId != null) message.anonymousId(call.anonymousId);
    if (call.context != null) message.context(call.context);
    analytics.enqueue(message);
  }

  @SuppressWarnings("rawtypes")
  private static MessageBuilder messageOf(Calls.Call call) {
    switch (call.type) {
      case "identify":
        return IdentifyMessage.builder().traits(call.traits);
      case "page":
        return PageMessage.builder(call.name).category(call.category).properties(call.properties);
      case "screen":
        return ScreenMessage.builder(call.name).properties(call.properties);
      case "group":
        return GroupMessage.builder(call.groupId).traits(call.traits);
      case "alias":
        return AliasMessage.builder(call.previousId);
      default:
        return TrackMessage.builder(call.event).properties(call.properties);
    }
  }

  private static final class Pending implements Callback {
    @Override
    public void success(Message message) {
      Calls.pending.arriveAndDeregister();
    }

    @Override
    public void failure(Message message, Throwable error) {
      System.err.println(error);
      Calls.pending.arriveAndDeregister();
    }
  }
}
