//! The alarm that wakes the dispatcher of this process.

use async_trait::async_trait;
use hearback_ports::Alarm;
use tokio::sync::Notify;

/// An alarm of this process. The dispatchers of other processes look again on their own.
#[derive(Debug, Default)]
pub struct ProcessAlarm(Notify);

#[async_trait]
impl Alarm for ProcessAlarm {
    fn ring(&self) {
        self.0.notify_one();
    }

    async fn rung(&self) {
        self.0.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn a_ring_is_heard_once_also_by_a_later_listener() {
        let alarm = ProcessAlarm::default();
        assert_eq!(alarm.rung().now_or_never(), None);
        alarm.ring();
        alarm.ring();
        assert_eq!(alarm.rung().now_or_never(), Some(()));
        assert_eq!(alarm.rung().now_or_never(), None);
    }
}
